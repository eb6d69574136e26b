"""All scenes: a file is a scene, a folder a family."""

"""novum lab: the page where a person steps through every method, until Ctrl-C.

What it imports before it listens is little: the processes that work import the library meanwhile.
"""

import json
import logging
import socket
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["command"]


def command(
    study: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FOLDER|TABLE]",
            help="A folder that novum study wrote: its model is asked there. Or a table: it is studied there.",
        ),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="The table that the study in FOLDER read: its rows are shown beside the model.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at; 0 takes a free one.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    scene: Annotated[str | None, typer.Option(help="The scene to begin with, such as kmeans.")] = None,
    state: Annotated[Path | None, typer.Option(help="A state.json that the page saved.")] = None,
    export: Annotated[str | None, typer.Option(help="Write this scene as one HTML file that needs no server.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The file to write (default: SCENE.html).")] = None,
    frame: Annotated[
        int | None, typer.Option(min=0, help="The frame that the file shows first (default: the last).")
    ] = None,
    lang: Annotated[str, typer.Option(help="Language of the file: en or it.")] = "en",
) -> None:
    """Open the lab: step through the methods of the notes on your own points; everything drawn is the library's own state.

    It listens at this machine alone, and the printed address holds the key to it.
    """
    if export is not None:
        typer.echo(exported(export, state, out or Path(f"{export}.html"), frame, lang))
        return
    try:
        import uvicorn

        from novum.lab.controls import Refusal
        from novum.lab.server.access import new_token
        from novum.lab.server.app import LabServer
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "novum":
            raise
        typer.echo(f"novum lab: needs the package {error.name!r}: pip install 'novum[lab]'.", err=True)
        raise typer.Exit(2) from error

    given = None if study is None else study.resolve()
    table = given if given is not None and given.is_file() else None
    folder = given if table is None else None
    if data is not None and folder is None:
        typer.echo("novum lab: --data is the table of a study: name the study's folder before it.", err=True)
        raise typer.Exit(2)
    listening = listening_socket(port)
    at, token = listening.getsockname()[1], new_token()
    fragment = first_fragment(token, scene, state) if table is None else f"/study/new?t={token}"
    address = f"http://127.0.0.1:{at}/#{fragment}"
    try:
        server = LabServer(token, at, study=folder, data=None if data is None else data.resolve(), table=table)
    except Refusal as refusal:
        listening.close()
        typer.echo(f"novum lab: {refusal.sentence}", err=True)
        raise typer.Exit(2) from refusal
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # that a page leaves a run while it is sent is no news
    settings = uvicorn.Config(server, log_level="error", access_log=False, server_header=False, ws="none")
    typer.echo(f"The lab is open at {address}\nCtrl-C ends it.")
    if browser:
        import webbrowser

        webbrowser.open(address)
    try:
        uvicorn.Server(settings).run(sockets=[listening])
    finally:
        listening.close()


def listening_socket(port: int) -> socket.socket:
    """Return a socket that listens at this machine alone, or say why there is none."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind(("127.0.0.1", port))
        made.listen(128)
    except OSError as error:
        made.close()
        raise typer.BadParameter(f"--port {port} cannot be listened at ({error.strerror}); take another.") from error
    return made


def read_state(path: Path) -> dict[str, Any]:
    """Return the scene and the state of a file that the page saved."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise typer.BadParameter(f"--state {path}: is not JSON.") from error
    if not isinstance(said, dict) or not isinstance(said.get("state"), dict):
        raise typer.BadParameter(f"--state {path}: must hold the scene and its state, as the page saves them.")
    return said


def first_fragment(token: str, scene: str | None, state: Path | None) -> str:
    """Return the part of the address after #: the token, and the scene and state to begin with."""
    said = {} if state is None else read_state(state)
    name = scene or said.get("scene")
    if name is None:
        return f"t={token}"
    made = known_scene(name)
    if state is None:
        return f"/{name}?t={token}"
    from novum.lab.protocol.packing import packed

    full, defaults = made.read(said["state"]).given, made.defaults()
    changed = {key: value for key, value in full.items() if value != defaults[key]}
    text = json.dumps(changed, separators=(",", ":"), sort_keys=True)
    return f"/{name}?t={token}&s={packed(text)}"


def known_scene(name: Any) -> Any:
    """Return a scene by its name, or raise with the names there are."""
    from novum.lab.registry import scenes

    if name not in scenes():
        raise typer.BadParameter(f"--scene {name}: scenes are {', '.join(scenes())}.")
    return scenes()[name]


def exported(name: str, state: Path | None, out: Path, frame: int | None, lang: str) -> str:
    """Write a run as one HTML file, and return the line that says so."""
    from novum.lab.controls import Refusal
    from novum.lab.server.export import scene_page
    from novum.runtime.writing import replace_file

    made = known_scene(name)
    given = {} if state is None else read_state(state)["state"]
    command = f"novum lab --scene {name}" + (f" --state {state.name}" if state else "")
    try:
        page = scene_page(made, given, frame, lang, command).encode()
    except Refusal as refusal:
        raise typer.BadParameter(refusal.sentence) from refusal
    replace_file(out, page)
    return f"{out}: {len(page) / 1000:.0f} kB"

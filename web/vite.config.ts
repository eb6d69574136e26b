// Two builds into one folder: the page with its views fetched as needed, and the page as one file (`--mode offline`).
import { defineConfig } from "vite";

export default defineConfig(({ mode }) => ({
  base: "/assets/",
  publicDir: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    outDir: mode === "offline" ? "../build/web-offline" : "../src/novum/lab/assets",
    emptyOutDir: true,
    assetsDir: "",
    assetsInlineLimit: 0,
    modulePreload: mode === "offline" ? false : { polyfill: false },
    cssCodeSplit: false,
    reportCompressedSize: false,
    rollupOptions: {
      input: mode === "offline" ? "src/offline.tsx" : "index.html",
      output: {
        entryFileNames: mode === "offline" ? "offline.js" : "lab.js",
        chunkFileNames: (chunk) => `${chunk.facadeModuleId?.includes("/views/") ? "view-" : ""}${chunk.name}.js`,
        assetFileNames: "lab[extname]",
        ...(mode === "offline" ? { format: "iife" as const, inlineDynamicImports: true } : {}),
      },
    },
  },
  test: { include: ["tests/**/*.test.ts"], environment: "node" },
}));

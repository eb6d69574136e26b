// Builds the page into src/novum/lab/assets: fixed names, no time of day, a manifest of SHA-256, and sizes within their budgets.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync, gzipSync } from "node:zlib";
import { build } from "vite";

const OUT = "../src/novum/lab/assets";
const BUDGET = { shell: 45_000, views: 55_000, total: 350_000 };
const LARGEST_FILE = 95_000; // bytes of the page that travels as a file, before there is a run in it
const sha = (data, encoding = "hex") => createHash("sha256").update(data).digest(encoding);
const gzip = (data) => gzipSync(data, { level: 9 }).length;

await build({ logLevel: "warn" });
await build({ logLevel: "warn", mode: "offline" });

const single = readFileSync("../build/web-offline/offline.js", "utf8").trim().replaceAll("</script", "<\\/script");
const style = readFileSync(join(OUT, "lab.css"), "utf8").trim();
// the script travels deflated: a few lines open it, and the policy knows both by their hashes
const small = (text) => deflateRawSync(text, { level: 9 }).toString("base64");
const opener = `(async()=>{const open=async(id)=>new Response(new Blob([Uint8Array.from(atob(document.getElementById(id).textContent),(c)=>c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();for(const tag of["style","script"]){const made=document.createElement(tag);made.textContent=await open("page-"+tag);document.head.append(made)}})()`;
const policy = [
  "default-src 'none'",
  `script-src 'sha256-${sha(opener, "base64")}' 'sha256-${sha(single, "base64")}'`,
  `style-src 'sha256-${sha(style, "base64")}'`,
  "img-src data: blob:",
].join("; ");
writeFileSync(
  join(OUT, "offline.html"),
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>novum lab</title>
</head>
<body>
<div id="app"></div>
<!--EVENTS-->
<script type="text/plain" id="page-style">${small(style)}</script>
<script type="text/plain" id="page-script">${small(single)}</script>
<script>${opener}</script>
</body>
</html>
`,
);
rmSync("../build/web-offline", { recursive: true });

const files = readdirSync(OUT).filter((name) => name !== "manifest.json").sort();
const manifest = Object.fromEntries(files.map((name) => [name, sha(readFileSync(join(OUT, name)))]));
writeFileSync(join(OUT, "manifest.json"), `${JSON.stringify({ generated: "make web", files: manifest }, null, 1)}\n`);

const size = (names) => names.reduce((sum, name) => sum + gzip(readFileSync(join(OUT, name))), 0);
const html = readFileSync(join(OUT, "index.html"), "utf8");
const shell = files.filter((name) => name === "index.html" || html.includes(`/assets/${name}`) || reachedFromShell(name));
const views = files.filter((name) => name.endsWith(".js") && !shell.includes(name));
const sizes = { shell: size(shell), views: size(views), total: size(files) };

/** A chunk that lab.js imports at once belongs to the shell, whatever it is called. */
function reachedFromShell(name) {
  return new RegExp(`(?:from|import)\\s*["']\\./${name.replace(".", "\\.")}["']`).test(readFileSync(join(OUT, "lab.js"), "utf8"));
}

for (const name of files) console.log(`${name.padEnd(22)} ${String(readFileSync(join(OUT, name)).length).padStart(8)} bytes ${String(gzip(readFileSync(join(OUT, name)))).padStart(7)} gzip`);
const alone = readFileSync(join(OUT, "offline.html")).length;
let over = alone > LARGEST_FILE;
console.log(`offline.html: ${alone} of ${LARGEST_FILE} bytes${over ? "  TOO LARGE" : ""}`);
for (const [part, limit] of Object.entries(BUDGET)) {
  over ||= sizes[part] > limit;
  console.log(`${part}: ${sizes[part]} of ${limit} bytes (gzip)${sizes[part] > limit ? "  TOO LARGE" : ""}`);
}
process.exit(over ? 1 : 0);

// The few requests of the page, all with the token of the printed address.

export class Refusal extends Error {
  constructor(
    readonly sentence: string,
    readonly control: string | null = null,
    readonly status = 0,
  ) {
    super(sentence);
  }
}

let token = "";

/** Take the token out of the address bar, or out of this tab's memory. */
export function takeToken(): void {
  const hash = location.hash;
  const found = /[#?&]t=([^&]+)/.exec(hash);
  if (found) {
    token = decodeURIComponent(found[1]!);
    remember(token);
    let rest = hash.replace(/([#?&])t=[^&]+&?/, "$1").replace(/[?&]$/, "");
    if (rest === "#") rest = "";
    history.replaceState(null, "", location.pathname + location.search + rest);
  } else {
    token = recall();
  }
}

function remember(value: string): void {
  try {
    sessionStorage.setItem("novum-lab-token", value);
  } catch {
    // a browser that keeps nothing: the token lives as long as this page
  }
}

function recall(): string {
  try {
    return sessionStorage.getItem("novum-lab-token") ?? "";
  } catch {
    return "";
  }
}

export async function ask(path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = path.startsWith("/api/") ? { "X-Novum-Token": token } : {};
  if (body !== undefined && !(body instanceof Blob)) headers["Content-Type"] = "application/json";
  const response = await fetch(path, {
    method: body === undefined ? "GET" : "POST",
    headers,
    body: body === undefined ? undefined : body instanceof Blob ? body : JSON.stringify(body),
    signal: signal ?? null,
  });
  if (response.ok) return response;
  let sentence = `${response.status} ${response.statusText}`;
  let control: string | null = null;
  try {
    ({ sentence, control } = { sentence, control, ...(await response.json()) });
  } catch {
    // no JSON in the answer: the status says what there is to say
  }
  throw new Refusal(sentence, control, response.status);
}

export async function askJson<T>(path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  return (await (await ask(path, body, signal)).json()) as T;
}

/** XMLHttpRequest as far as browser clients use it, over fetch: text is available as it arrives, bytes once they are complete. */
export class XmlHttpRequest {
  onreadystatechange: (() => void) | null = null;
  readyState = 0;
  status = 0;
  statusText = '';
  responseType: '' | 'text' | 'arraybuffer' = '';
  responseText = '';
  response: string | ArrayBuffer | null = null;
  withCredentials = false;
  readonly #headers = new Headers();
  readonly #leaving = new AbortController();
  #target: { method: string; url: string } = { method: 'GET', url: '' };
  #received = new Headers();

  open(method: string, url: string): void {
    this.#target = { method, url };
    this.#enter(1);
  }
  setRequestHeader(name: string, value: string): void {
    this.#headers.append(name, value);
  }
  getResponseHeader(name: string): string | null {
    return this.#received.get(name);
  }
  getAllResponseHeaders(): string {
    return [...this.#received].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  }
  abort(): void {
    this.onreadystatechange = null;
    this.#leaving.abort();
  }
  send(body: string | Uint8Array<ArrayBuffer>): void {
    this.#exchange(body).catch(() => {
      // As browsers report a broken connection.
      this.status = 0;
      this.#enter(4);
    });
  }

  async #exchange(body: string | Uint8Array<ArrayBuffer>): Promise<void> {
    const { method, url } = this.#target;
    const reply = await fetch(url, { method, body, headers: this.#headers, signal: this.#leaving.signal });
    this.status = reply.status;
    this.statusText = reply.statusText;
    this.#received = reply.headers;
    this.#enter(2);
    const pieces: Buffer[] = [];
    for await (const piece of reply.body ?? []) {
      pieces.push(Buffer.from(piece));
      if (this.responseType !== 'arraybuffer') this.responseText += Buffer.from(piece).toString('latin1');
      this.#enter(3);
    }
    const bytes = new Uint8Array(Buffer.concat(pieces));
    this.response = this.responseType === 'arraybuffer' ? bytes.buffer : this.responseText;
    this.#enter(4);
  }

  #enter(state: number): void {
    this.readyState = state;
    this.onreadystatechange?.();
  }
}

/** A request, as shown in code samples. */
export interface SampledRequest {
  verb: string;
  /** With `{name}` for each variable. */
  path: string;
  /** The environment variable with the credential; undefined if none is needed. */
  credential: string | undefined;
  headers: readonly string[];
  body: unknown;
}

/** The format that OpenAPI tools read from `x-codeSamples`. */
export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

/** The request in four languages. All samples run as they are if `BASE_URL` and the credential are in the environment. */
export function codeSamples(request: SampledRequest): CodeSample[] {
  return [
    { lang: 'shell', label: 'curl', source: curl(request) },
    { lang: 'typescript', label: 'TypeScript', source: typescript(request) },
    { lang: 'python', label: 'Python', source: python(request) },
    { lang: 'go', label: 'Go', source: go(request) },
  ];
}

/** Path variables are named by what to replace them with: `{keyId}` becomes `KEY_ID`. */
function pathOf({ path }: SampledRequest): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    name
      .replace(/[.]/g, '_')
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .toUpperCase(),
  );
}

function headersOf({ credential, headers, body }: SampledRequest, bearer: (variable: string) => string) {
  return [
    ...(credential === undefined ? [] : [['Authorization', bearer(credential)] as const]),
    ...(body === undefined ? [] : [['Content-Type', '"application/json"'] as const]),
    ...headers.map((name) => [name, '"one-for-each-request"'] as const),
  ];
}

function curl(request: SampledRequest): string {
  const headers = headersOf(request, (variable) => `"Bearer $${variable}"`);
  const lines = [
    `curl ${request.verb === 'GET' ? '' : `-X ${request.verb} `}"$BASE_URL${pathOf(request)}"`,
    ...headers.map(([name, value]) => `  -H "${name}: ${value.slice(1, -1)}"`),
    ...(request.body === undefined ? [] : [`  -d '${JSON.stringify(request.body).replaceAll("'", "'\\''")}'`]),
  ];
  return lines.join(' \\\n');
}

function typescript(request: SampledRequest): string {
  const headers = headersOf(request, (variable) => `\`Bearer \${process.env.${variable}}\``);
  const body = request.body === undefined ? [] : [`  body: JSON.stringify(${indented(request.body, '  ')}),`];
  return [
    `const reply = await fetch(\`\${process.env.BASE_URL}${pathOf(request)}\`, {`,
    `  method: '${request.verb}',`,
    '  headers: {',
    ...headers.map(([name, value]) => `    '${name}': ${value.replace(/^"(.*)"$/, "'$1'")},`),
    '  },',
    ...body,
    '});',
    'console.log(reply.status, await reply.text());',
  ].join('\n');
}

function python(request: SampledRequest): string {
  const headers = headersOf(request, (variable) => `f"Bearer {os.environ['${variable}']}"`);
  const body = request.body === undefined ? [] : [`    json=json.loads(r'''${indented(request.body, '    ')}'''),`];
  return [
    request.body === undefined ? 'import os' : 'import json\nimport os',
    '',
    'import requests',
    '',
    'reply = requests.request(',
    `    "${request.verb}",`,
    `    os.environ["BASE_URL"] + "${pathOf(request)}",`,
    `    headers={${headers.map(([name, value]) => `"${name}": ${value}`).join(', ')}},`,
    ...body,
    ')',
    'print(reply.status_code, reply.text)',
  ].join('\n');
}

function go(request: SampledRequest): string {
  const headers = headersOf(request, (variable) => `"Bearer "+os.Getenv("${variable}")`);
  // A raw string in Go ends at a backtick, and no example contains one.
  const body = request.body === undefined ? 'nil' : `strings.NewReader(\`${indented(request.body, '\t')}\`)`;
  const packages = ['fmt', 'io', 'net/http', 'os', ...(request.body === undefined ? [] : ['strings'])];
  return [
    'package main',
    '',
    'import (',
    ...packages.map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    `\trequest, err := http.NewRequest("${request.verb}", os.Getenv("BASE_URL")+"${pathOf(request)}", ${body})`,
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    ...headers.map(([name, value]) => `\trequest.Header.Set("${name}", ${value})`),
    '\treply, err := http.DefaultClient.Do(request)',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\tdefer reply.Body.Close()',
    '\ttext, err := io.ReadAll(reply.Body)',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\tfmt.Println(reply.Status, string(text))',
    '}',
  ].join('\n');
}

function indented(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
}

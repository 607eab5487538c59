// /docs: shows the OpenAPI document in a browser, with the unchanged package of Swagger UI (docs/decisions/0050). Nothing is fetched
// from elsewhere, and the page's policy lets it neither run nor load anything else.
import { Controller, Get, Header, Param, StreamableFile } from '@nestjs/common';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { BareOperation } from '../../platform/http/operation.decorator.js';
import { notFound } from '../../platform/http/problem.js';
import { Open } from '../admin/auth/roles.js';

/** Our script is a file, because the policy allows none in the page itself. */
const START = 'start.js';
/** The files of the page by media type. All others come from the package; the licences are those of the bundled libraries. */
const FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-bundle.js.LICENSE.txt': 'text/plain; charset=utf-8',
  [START]: 'text/javascript; charset=utf-8',
} as const;

type FileName = keyof typeof FILES;
const file = z.string().max(100);

/** The icons of the style sheet need `data:`. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Carillon: HTTP API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="api"><noscript>The document itself is <a href="openapi.json">openapi.json</a>.</noscript></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

const SCRIPT = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

/** One day: the files change only with a release of ours. */
const KEPT = 'public, max-age=86400';

@Controller('docs')
export class ViewerController {
  readonly #files = new Map<string, Promise<Buffer>>();

  @BareOperation({ summary: 'This document, readable', otherMedia: ['text/html'] })
  @Get()
  @Open()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', POLICY)
  @Header('x-content-type-options', 'nosniff')
  @Header('referrer-policy', 'no-referrer')
  page(): string {
    return PAGE;
  }

  @BareOperation({ summary: 'Parts of the page', otherMedia: ['text/css', 'text/javascript', 'text/plain'] })
  @Get(':file')
  @Open()
  @Header('x-content-type-options', 'nosniff')
  @Header('cache-control', KEPT)
  async part(@Param('file', { schema: file }) name: string): Promise<StreamableFile> {
    if (!isFileName(name)) throw notFound('file');
    const content = name === START ? Buffer.from(SCRIPT) : await this.#read(name);
    return new StreamableFile(content, { type: FILES[name] });
  }

  #read(name: FileName): Promise<Buffer> {
    const { resolve } = createRequire(import.meta.url);
    const read = this.#files.get(name) ?? readFile(resolve(`swagger-ui-dist/${name}`));
    this.#files.set(name, read);
    return read;
  }
}

function isFileName(name: string): name is FileName {
  return Object.hasOwn(FILES, name);
}

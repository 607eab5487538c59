// Apple devices through APNs.
import { Http2Provider, type Http2ProviderOptions } from '../over-http2/http2-provider.js';
import { openApnsLine, type ApnsOptions } from './apns-line.js';

export type ApnsProviderOptions = Http2ProviderOptions & ApnsOptions;

export class ApnsProvider extends Http2Provider {
  constructor(options: ApnsProviderOptions) {
    super(options, (credential) => openApnsLine(credential, options));
  }
}

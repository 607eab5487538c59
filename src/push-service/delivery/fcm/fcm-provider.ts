// Android devices through FCM HTTP v1.
import { Http2Provider, type Http2ProviderOptions } from '../over-http2/http2-provider.js';
import { openFcmLine, type FcmOptions } from './fcm-line.js';

export type FcmProviderOptions = Http2ProviderOptions & FcmOptions;

export class FcmProvider extends Http2Provider {
  constructor(options: FcmProviderOptions) {
    super(options, (credential) => openFcmLine(credential, options));
  }
}

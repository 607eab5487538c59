# A hook of schemathesis: signs each request by section 5 of the interface, over the target as it goes out.
import base64
import hashlib
import hmac
import os
import time

import requests.auth
import schemathesis


class Signed(requests.auth.AuthBase):
    def __call__(self, request):
        timestamp = str(int(time.time() * 1000))
        access_key = os.environ["SIGN_ACCESS_KEY"]
        text = f"{request.method} {request.path_url}\n{timestamp}\n{access_key}"
        secret = os.environ["SIGN_SECRET_KEY"].encode()
        digest = hmac.new(secret, text.encode(), hashlib.sha256).digest()
        request.headers["x-svc-apigw-timestamp"] = timestamp
        request.headers["x-svc-iam-access-key"] = access_key
        request.headers["x-svc-apigw-signature-v2"] = base64.b64encode(digest).decode()
        return request


schemathesis.auth.set_from_requests(Signed())

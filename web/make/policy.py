"""What the page may do: the Content Security Policy, for its own <meta> and for the server."""

from __future__ import annotations

# WebAssembly has to be allowed by name. A worker follows the policy of its own response, not the
# page's, so a host that sends this header protects both.
_DIRECTIVES = (
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "connect-src 'self'",
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
)
CONTENT_SECURITY_POLICY = "; ".join(_DIRECTIVES)

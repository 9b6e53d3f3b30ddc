/**
 * HTTP client building blocks that backends share: the connection pool with its TLS and proxies, guards, timeouts,
 * bodies; the preconditions of reads and the validation of their responses; URLs, redirects and addresses that are
 * checked; and access tokens of clouds.
 */
@NullMarked
package io.millrace.backend.http;

import org.jspecify.annotations.NullMarked;

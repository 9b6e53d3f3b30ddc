/** Ways to the servers of backends: the certificates of TLS connections, and HTTP proxies. */
@NullMarked
package io.millrace.backend.http.outbound;

import org.jspecify.annotations.NullMarked;

/** TLS on the ports of the gateway: its settings, contexts and the handlers of a connection. */
@NullMarked
package io.millrace.gateway.tls;

import org.jspecify.annotations.NullMarked;

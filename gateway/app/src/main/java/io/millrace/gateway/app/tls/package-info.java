/** Certificates and private keys of the gateway's ports, loaded from files and reloaded when these change. */
@NullMarked
package io.millrace.gateway.app.tls;

import org.jspecify.annotations.NullMarked;

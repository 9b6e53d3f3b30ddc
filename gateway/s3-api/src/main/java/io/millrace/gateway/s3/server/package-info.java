/** The HTTP server of the data plane: sockets, request bodies and response bodies on Reactor Netty. */
@NullMarked
package io.millrace.gateway.s3.server;

import org.jspecify.annotations.NullMarked;

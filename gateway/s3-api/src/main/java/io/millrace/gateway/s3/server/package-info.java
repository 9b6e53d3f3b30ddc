/** The data plane's sockets: Reactor Netty under our own exchange type. */
@NullMarked
package io.millrace.gateway.s3.server;

import org.jspecify.annotations.NullMarked;

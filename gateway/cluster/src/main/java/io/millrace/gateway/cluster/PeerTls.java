package io.millrace.gateway.cluster;

import io.millrace.backend.http.BackendTlsSettings;
import io.netty.handler.ssl.SslContext;
import java.util.function.Supplier;

/**
 * The TLS of the connections between members. It keeps their messages secret; who may send them is decided by the
 * cluster's secret all the same.
 *
 * @param server returns the context for new connections that other members open
 * @param client which authorities may issue the certificates of other members
 */
public record PeerTls(Supplier<SslContext> server, BackendTlsSettings client) {}

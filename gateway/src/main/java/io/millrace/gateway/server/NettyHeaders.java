package io.millrace.gateway.server;

import io.millrace.gateway.http.RequestHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Locale;

/** A view of Netty's header fields. */
record NettyHeaders(HttpHeaders headers) implements RequestHeaders {
    @Override
    public List<String> all(String name) {
        return headers.getAll(name);
    }

    @Override
    public List<String> names() {
        return headers.names().stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .distinct()
                .toList();
    }
}

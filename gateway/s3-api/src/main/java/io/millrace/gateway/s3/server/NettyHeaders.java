package io.millrace.gateway.s3.server;

import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Adapts Netty's headers to {@link RequestHeaders}. Not thread-safe. */
final class NettyHeaders implements RequestHeaders {
    private final HttpHeaders headers;

    /** Computed once, because routing and signatures both read all names. */
    private @Nullable List<String> names;

    NettyHeaders(HttpHeaders headers) {
        this.headers = headers;
    }

    @Override
    public List<String> all(String name) {
        return headers.getAll(name);
    }

    @Override
    public Optional<String> first(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    @Override
    public List<String> names() {
        List<String> cached = names;
        if (cached == null) {
            cached = distinctNames();
            names = cached;
        }
        return cached;
    }

    private List<String> distinctNames() {
        Set<String> distinct = new LinkedHashSet<>();
        Iterator<Map.Entry<CharSequence, CharSequence>> fields = headers.iteratorCharSequence();
        while (fields.hasNext()) {
            distinct.add(fields.next().getKey().toString().toLowerCase(Locale.ROOT));
        }
        return List.copyOf(distinct);
    }
}

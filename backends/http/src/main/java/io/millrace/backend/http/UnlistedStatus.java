package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.HeaderList;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/**
 * The meaning of an error status that the protocol of a store does not list: a redirect, which is not followed, or the
 * word of a proxy.
 */
public final class UnlistedStatus {
    private UnlistedStatus() {}

    /** Returns the kind of failure. */
    public static FailureKind kind(int status) {
        if (status < 400) {
            return FailureKind.INVALID_RESPONSE;
        }
        // 408: the server waited too long for the request; 425: it may be a replay.
        return status >= 500 || status == 408 || status == 425 ? FailureKind.UNAVAILABLE : FailureKind.UNEXPECTED;
    }

    /** Returns where a redirect leads, and what to do about it, to append to a message; empty for other statuses. */
    public static String advice(int status, HeaderList fields) {
        if (status < 300 || status >= 400 || status == 304) {
            return "";
        }
        String target = fields.first("location")
                .flatMap(UnlistedStatus::server)
                .map(server -> " to " + server)
                .orElse("");
        return "; it redirects%s, which is not followed: check the backend's endpoint".formatted(target);
    }

    /** Returns the server of a URL with its scheme, which may be all that differs; never its user or path. */
    private static Optional<String> server(String location) {
        try {
            URI target = new URI(location.strip());
            String scheme = target.getScheme() == null ? "" : target.getScheme() + "://";
            return Optional.ofNullable(target.getRawAuthority())
                    .map(authority -> scheme + authority.substring(authority.indexOf('@') + 1));
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }
}

package io.millrace.config.binding;

import io.millrace.config.problem.InvalidValueException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Parses URLs of HTTP servers. */
final class UrlParser {
    private static final String REMEDY =
            "write http:// or https://, a host and perhaps a port, as http://127.0.0.1:9000";
    private static final int HIGHEST_PORT = 65_535;

    static final ValueType TYPE = new ValueType("URL", REMEDY, (text, folder) -> parse(text.strip()));

    private UrlParser() {}

    private static URI parse(String text) throws InvalidValueException {
        if (!text.contains("://")) {
            throw new InvalidValueException("does not begin with http:// or https://", REMEDY);
        }
        try {
            return checked(new URI(text));
        } catch (URISyntaxException e) {
            int at = Math.max(0, Math.min(e.getIndex(), text.length()));
            throw new InvalidValueException("is not a URL (at character " + (at + 1) + ")", REMEDY);
        }
    }

    private static URI checked(URI url) throws InvalidValueException {
        @Nullable String scheme = url.getScheme();
        if (scheme == null || !Set.of("http", "https").contains(scheme.toLowerCase(Locale.ROOT))) {
            throw new InvalidValueException("does not begin with http:// or https://", REMEDY);
        }
        @Nullable String authority = url.getRawAuthority();
        if (authority != null && authority.contains("@")) {
            throw new InvalidValueException(
                    "has a user or password in it, which would be seen in logs", "give these by keys of their own");
        }
        if (url.getHost() == null) {
            boolean underscore = authority != null && authority.contains("_");
            throw underscore
                    ? new InvalidValueException(
                            "has a host name with _, which host names cannot have", "rename the host, or use its IP")
                    : new InvalidValueException("has no host that is one", REMEDY);
        }
        if (url.getPort() == 0 || url.getPort() > HIGHEST_PORT) {
            throw new InvalidValueException("has a port that is none", "write a port from 1 to " + HIGHEST_PORT);
        }
        return url;
    }
}

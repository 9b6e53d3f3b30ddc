package io.millrace.gateway.app;

import io.millrace.gateway.s3.hub.HubSettings;
import io.millrace.gateway.s3.server.S3Settings;
import java.util.Locale;
import java.util.Objects;
import org.springframework.boot.web.server.PortInUseException;
import reactor.netty.ChannelBindException;

/** Finds the cause of a failure to start that an operator can fix. */
final class StartFailureExplainer {
    private StartFailureExplainer() {}

    /** Returns an explanation with a remedy, or {@code failure} itself if no cause is one that an operator can fix. */
    static RuntimeException explain(RuntimeException failure, MillraceSettings settings) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof StartException start) {
                return start;
            }
            if (cause instanceof PortLifecycle.PortException port) {
                ChannelBindException bind = (ChannelBindException) Objects.requireNonNull(port.getCause());
                return port.section().equals("s3")
                        ? s3Port(settings.s3(), bind)
                        : hubPort(settings.hub().orElseThrow(), bind);
            }
            if (cause instanceof PortInUseException || cause instanceof ChannelBindException) {
                return port(
                        "admin",
                        "port",
                        settings.admin().address(),
                        settings.admin().port(),
                        cause);
            }
        }
        return failure;
    }

    private static StartException s3Port(S3Settings settings, ChannelBindException cause) {
        boolean isPlain =
                settings.plainPort().filter(plain -> plain == cause.localPort()).isPresent();
        return port("s3", isPlain ? "plain-port" : "port", settings.address(), cause.localPort(), cause);
    }

    private static StartException hubPort(HubSettings hub, ChannelBindException cause) {
        return port("hub", "port", hub.address(), hub.port(), cause);
    }

    private static StartException port(String section, String key, String address, int port, Throwable cause) {
        String reason =
                cause.getCause() == null ? "it is in use" : cause.getCause().getMessage();
        String variable = "MILLRACE_%s_".formatted(section.toUpperCase(Locale.ROOT));
        return new StartException(
                ("%s: cannot listen on %s:%d (%s). Stop what uses it, or choose another with '%s.%s' / '%s.address' in"
                                + " the file, or %s / %sADDRESS.")
                        .formatted(
                                section,
                                address,
                                port,
                                reason,
                                section,
                                key,
                                section,
                                variable + key.toUpperCase(Locale.ROOT).replace('-', '_'),
                                variable),
                cause);
    }
}

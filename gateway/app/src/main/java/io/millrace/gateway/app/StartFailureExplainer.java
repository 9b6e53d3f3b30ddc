package io.millrace.gateway.app;

import io.millrace.gateway.app.settings.MillraceSettings;
import io.millrace.gateway.app.settings.StartException;
import org.jspecify.annotations.Nullable;
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
            if (cause instanceof DataPlaneLifecycle.PortException port) {
                return port("s3", settings.s3().address(), settings.s3().port(), "MILLRACE_S3", port.getCause());
            }
            if (cause instanceof PortInUseException || cause instanceof ChannelBindException) {
                return port(
                        "admin", settings.admin().address(), settings.admin().port(), "MILLRACE_ADMIN", cause);
            }
        }
        return failure;
    }

    private static StartException port(
            String section, String address, int port, String variable, @Nullable Throwable cause) {
        String reason = cause == null || cause.getCause() == null
                ? "it is in use"
                : cause.getCause().getMessage();
        return new StartException(
                ("%s: cannot listen on %s:%d (%s). Stop what uses it, or choose another with '%s.port' / '%s.address' in"
                                + " the file, or %s_PORT / %s_ADDRESS.")
                        .formatted(section, address, port, reason, section, section, variable, variable),
                cause == null ? new IllegalStateException() : cause);
    }
}

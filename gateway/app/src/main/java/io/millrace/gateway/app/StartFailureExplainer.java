package io.millrace.gateway.app;

import io.millrace.gateway.s3.hub.HubSettings;
import io.millrace.gateway.s3.server.S3Settings;
import java.util.Locale;
import java.util.Objects;
import org.springframework.boot.web.server.PortInUseException;
import reactor.netty.ChannelBindException;

/** Finds the cause of a failure to start that an operator can fix. */
final class StartFailureExplainer {
    private static final BindError PERMISSION_DENIED = new BindError(13, "Permission denied");
    private static final BindError ADDRESS_IN_USE = new BindError(98, "Address already in use");
    private static final BindError ADDRESS_NOT_AVAILABLE = new BindError(99, "Cannot assign requested address");

    /** An error of a system call: its number in Netty's messages, and its text, which may be in another language. */
    private record BindError(int number, String text) {}

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
        String variable = "MILLRACE_%s_".formatted(section.toUpperCase(Locale.ROOT));
        return new StartException(
                "%s: cannot listen on %s:%d: %s. To mend it, %s '%s.%s' / '%s.address' in the file, or %s / %sADDRESS"
                        .formatted(
                                section,
                                address,
                                port,
                                reason(cause),
                                remedy(cause, port),
                                section,
                                key,
                                section,
                                variable + key.toUpperCase(Locale.ROOT).replace('-', '_'),
                                variable),
                cause);
    }

    /** Says why a port cannot be bound, without the names of system calls and their numbers. */
    private static String reason(Throwable cause) {
        String said = said(cause);
        if (is(said, ADDRESS_IN_USE)) {
            return "the address is already in use";
        }
        if (is(said, PERMISSION_DENIED)) {
            return "this user may not open the port";
        }
        return is(said, ADDRESS_NOT_AVAILABLE)
                ? "this machine does not have the address"
                : said.replaceFirst("^.*failed with error\\(-?[0-9]+\\): ", "");
    }

    private static String remedy(Throwable cause, int port) {
        return is(said(cause), ADDRESS_IN_USE)
                ? "stop the program that uses it (ss -ltnp 'sport = :%d' shows which), or choose another with"
                        .formatted(port)
                : "choose another with";
    }

    private static boolean is(String said, BindError error) {
        return said.contains("error(-%d)".formatted(error.number)) || said.contains(error.text);
    }

    /** Returns what the system said, which is the innermost message. */
    private static String said(Throwable cause) {
        Throwable innermost = cause;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        // Some releases of Reactor Netty leave out the cause where the port is in use.
        boolean isInUse = innermost instanceof ChannelBindException || innermost instanceof PortInUseException;
        return isInUse ? ADDRESS_IN_USE.text : String.valueOf(innermost.getMessage());
    }
}

package io.millrace.backend.http;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import reactor.netty.channel.AbortedException;
import reactor.netty.http.client.PrematureCloseException;

/** Words for people for the failure of a connection; libraries say it with classes, functions and numbers of errors. */
public final class TransportReason {
    /** The most causes to follow: more than any library wraps, and a bound for cycles. */
    static final int DEPTH = 12;

    /**
     * Netty's message of a failed call to the system: the function, the number of the error, and the system's words.
     */
    private static final Pattern SYSTEM_CALL =
            Pattern.compile("[^\\s(]+\\(\\.\\.\\) failed(?: with error\\(-?([0-9]+)\\))?(?:: *(.*))?", Pattern.DOTALL);

    /**
     * The beginning that a message has if it is that of another failure as text. Possessive, as else each package takes
     * some of the stack, and a message may repeat what a server has sent.
     */
    private static final Pattern CLASS_NAME = Pattern.compile("(?:[a-z_]\\w*+\\.)++[A-Z][\\w$]*(?:: *|$)");

    private static final Pattern QUOTED = Pattern.compile("'([^']+)'");

    /** The system's words by the number of the error, of those that connections have. */
    private static final Map<String, String> ERRORS = Map.of(
            "32", "broken pipe",
            "101", "network is unreachable",
            "104", "connection reset by peer",
            "110", "connection timed out",
            "111", "connection refused",
            "113", "no route to host");

    private TransportReason() {}

    /** Returns the innermost reason: the outer ones say how it was passed on. */
    public static String of(Throwable failure) {
        Throwable innermost = failure;
        for (int i = 0; i < DEPTH && innermost.getCause() != null; i++) {
            innermost = innermost.getCause();
        }
        boolean isClosed = TransportFailures.find(failure, PrematureCloseException.class) != null
                || innermost instanceof AbortedException;
        String reason = isClosed ? "the server closed the connection" : ofOne(innermost);
        return reason.isEmpty() ? "no reason is known" : reason;
    }

    /** Returns the host that a failure is about. */
    static String host(UnknownHostException failure) {
        String message = String.valueOf(failure.getMessage());
        Matcher quoted = QUOTED.matcher(message);
        return quoted.find() ? quoted.group(1) : message.replaceFirst(": .*", "");
    }

    /** Returns the reason of this failure, without its causes; empty if it has none. */
    public static String ofOne(Throwable failure) {
        @Nullable String given = failure.getMessage();
        String message = given == null ? "" : given;
        Matcher call = SYSTEM_CALL.matcher(message);
        String words = call.matches() ? ofCall(call) : plain(message);
        return words.isEmpty() ? unnamed(failure) : words;
    }

    private static String ofCall(Matcher call) {
        @Nullable String given = call.group(2);
        String words = given == null ? "" : plain(given);
        return words.isEmpty()
                ? ERRORS.getOrDefault(String.valueOf(call.group(1)), "")
                : Character.toLowerCase(words.charAt(0)) + words.substring(1);
    }

    /** Drops the names of classes, and how Java writes addresses: a name, perhaps none, before a slash. */
    private static String plain(String message) {
        String text = CLASS_NAME.matcher(message).replaceAll("");
        String words = text.replace("/<unresolved>", "").replace(": /", ": ").strip();
        return words.startsWith("Connection ") ? "c" + words.substring(1) : words;
    }

    private static String unnamed(Throwable failure) {
        if (failure instanceof ClosedChannelException) {
            return "the server closed the connection";
        }
        if (failure instanceof NoRouteToHostException) {
            return "no route to host";
        }
        if (failure instanceof TimeoutException || failure instanceof io.netty.handler.timeout.TimeoutException) {
            return "no response in time";
        }
        return failure instanceof ConnectException ? "connection refused" : "";
    }
}

package io.millrace.gateway.app.command;

import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The signal SIGHUP, by which operators tell a server to read its settings again. Without a handler it ends the JVM;
 * under {@code nohup} it does nothing.
 *
 * <p>The JDK has no supported type for signals, and javac warns of {@code sun.misc.Signal} without a way to accept
 * that, so it is called by reflection.
 */
final class HangupSignal {
    private static final Logger log = LoggerFactory.getLogger(HangupSignal.class);
    private static final String SIGNAL = "sun.misc.Signal";
    private static final String HANDLER = "sun.misc.SignalHandler";

    private final Runnable report;

    private HangupSignal(Runnable report) {
        this.report = report;
    }

    /** Logs that the signal does nothing, if so. The log has its form only when the gateway has started. */
    void report() {
        report.run();
    }

    /** Calls the handler, on a thread of the JVM, each time the process gets the signal. Logs nothing. */
    static HangupSignal handle(Runnable handler) {
        try {
            Class<?> signal = Class.forName(SIGNAL);
            Class<?> type = Class.forName(HANDLER);
            Object proxy = Proxy.newProxyInstance(
                    HangupSignal.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                        handler.run();
                        return null;
                    });
            Object before = signal.getMethod("handle", signal, type)
                    .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), proxy);
            // The JVM leaves it so.
            boolean isIgnored = type.getField("SIG_IGN").get(null) == before;
            return isIgnored
                    ? new HangupSignal(() ->
                            log.info("SIGHUP is ignored, as nohup makes it: millrace config reload does the same"))
                    : new HangupSignal(() -> {});
        } catch (ReflectiveOperationException e) {
            return new HangupSignal(() ->
                    log.warn("SIGHUP cannot be handled here ({}); millrace config reload does the same", e.toString()));
        }
    }
}

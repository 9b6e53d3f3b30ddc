package io.millrace.gateway.app;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.List;
import org.slf4j.LoggerFactory;

/** The levels of Millrace's loggers, which follow the settings. Used by one thread at a time. */
final class LogLevels implements SettingsFollower {
    private List<String> debugged = List.of();

    /** Puts the levels of these settings in force. */
    LogLevels(LogSettings settings) {
        set(settings);
    }

    @Override
    public Runnable prepare(MillraceSettings next) {
        return () -> set(next.log());
    }

    private void set(LogSettings settings) {
        debugged.forEach(name -> logger(name).setLevel(null));
        logger(LogSettings.OWN).setLevel(Level.toLevel(settings.level().name()));
        settings.debug().forEach(name -> logger(name).setLevel(Level.DEBUG));
        debugged = settings.debug();
    }

    private static Logger logger(String name) {
        return (Logger) LoggerFactory.getLogger(name);
    }
}

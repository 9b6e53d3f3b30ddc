package io.millrace.gateway.app;

import io.millrace.gateway.tls.TlsSettings;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port's TLS context, which follows its files. New connections use the newest context; connections that are open keep
 * theirs. Files that cannot be used leave the last context in place. Safe for use by any number of threads.
 */
final class ReloadingTlsContext implements Supplier<SslContext> {
    private static final Logger log = LoggerFactory.getLogger(ReloadingTlsContext.class);

    private final String port;
    private volatile TlsContextLoader.Loaded loaded;
    private volatile boolean failing;
    private TlsSettings settings;
    private List<Optional<FileState>> seen;

    /** A file's time of change and size, by which a change is noticed. */
    private record FileState(Instant changed, long size) {}

    private ReloadingTlsContext(String port, TlsSettings settings) throws TlsFilesException {
        this.port = port;
        this.settings = settings;
        this.seen = look(settings);
        this.loaded = TlsContextLoader.load(settings);
    }

    /**
     * Loads the files.
     *
     * @param port the section of the settings
     * @throws StartException if they cannot be used
     */
    static ReloadingTlsContext load(String port, TlsSettings settings) {
        try {
            return new ReloadingTlsContext(port, settings);
        } catch (TlsFilesException e) {
            throw unusable(port, e);
        }
    }

    private static StartException unusable(String port, TlsFilesException e) {
        return new StartException("%s.tls.%s. To mend it, %s.".formatted(port, e.getMessage(), e.remedy()), e);
    }

    /**
     * Loads the files of other settings.
     *
     * @return lets new connections use them, and follows them from then on
     * @throws StartException if they cannot be used
     */
    Runnable prepare(TlsSettings next) {
        if (next.equals(settings())) {
            return () -> {};
        }
        try {
            List<Optional<FileState>> state = look(next);
            TlsContextLoader.Loaded other = TlsContextLoader.load(next);
            return () -> follow(next, state, other);
        } catch (TlsFilesException e) {
            throw unusable(port, e);
        }
    }

    private synchronized TlsSettings settings() {
        return settings;
    }

    private synchronized void follow(TlsSettings next, List<Optional<FileState>> state, TlsContextLoader.Loaded other) {
        settings = next;
        seen = state;
        loaded = other;
        failing = false;
        log.info("{}.tls: new connections use {}. It expires at {}", port, next.certificate(), expiresAt());
    }

    /** Returns the section of the settings that it belongs to. */
    String port() {
        return port;
    }

    @Override
    public SslContext get() {
        return loaded.context();
    }

    /** Returns the time at which the certificate in use expires. */
    Instant expiresAt() {
        return loaded.certificate().getNotAfter().toInstant();
    }

    /** Returns whether the files have changed and cannot be used, so that the certificate before stays in use. */
    boolean isFailing() {
        return failing;
    }

    /** Loads the files again if one of them has changed since the last call. Reads files. */
    synchronized void reloadIfChanged() {
        List<Optional<FileState>> now = look(settings);
        if (now.equals(seen)) {
            return;
        }
        seen = now;
        try {
            loaded = TlsContextLoader.load(settings);
            failing = false;
            log.info(
                    "{}.tls: the certificate was reloaded; new connections use it. It expires at {}",
                    port,
                    expiresAt());
        } catch (TlsFilesException e) {
            failing = true;
            log.warn(
                    "{}.tls.{}. The certificate in use stays, and expires at {}. To mend it, {}",
                    port,
                    e.getMessage(),
                    expiresAt(),
                    e.remedy());
        } catch (RuntimeException e) {
            failing = true;
            log.warn("{}.tls: the certificate could not be reloaded; the one in use stays", port, e);
        }
    }

    private static List<Optional<FileState>> look(TlsSettings settings) {
        return Stream.concat(
                        Stream.of(settings.certificate(), settings.privateKey()), settings.clientAuthorities().stream())
                .map(ReloadingTlsContext::state)
                .toList();
    }

    private static Optional<FileState> state(Path file) {
        try {
            return Optional.of(new FileState(Files.getLastModifiedTime(file).toInstant(), Files.size(file)));
        } catch (IOException absent) {
            return Optional.empty();
        }
    }
}

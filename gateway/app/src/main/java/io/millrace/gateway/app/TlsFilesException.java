package io.millrace.gateway.app;

import java.nio.file.Path;

/** Reports a TLS file that cannot be used. The message has the setting, the file and what is wrong with it. */
final class TlsFilesException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String remedy;

    /** @param key the key of the settings that names the file, below {@code tls} */
    TlsFilesException(String key, Path file, String problem, String remedy) {
        super("%s: %s %s".formatted(key, file, problem));
        this.remedy = remedy;
    }

    /** Returns what to write instead. */
    String remedy() {
        return remedy;
    }
}

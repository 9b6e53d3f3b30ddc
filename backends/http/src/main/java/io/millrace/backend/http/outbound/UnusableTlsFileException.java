package io.millrace.backend.http.outbound;

import java.nio.file.Path;

/** Reports a file of {@link BackendTlsSettings} that cannot be used. */
final class UnusableTlsFileException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String key;
    private final String problem;
    private final String remedy;
    private final transient Path file;

    /** @param key the key of the settings that names the file */
    UnusableTlsFileException(String key, Path file, String problem, String remedy) {
        super("tls.%s: %s %s: %s".formatted(key, file, problem, remedy));
        this.key = key;
        this.file = file;
        this.problem = problem;
        this.remedy = remedy;
    }

    String key() {
        return key;
    }

    Path file() {
        return file;
    }

    String problem() {
        return problem;
    }

    /** Returns what to do about it. */
    String remedy() {
        return remedy;
    }
}

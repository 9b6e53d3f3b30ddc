package io.millrace.kit;

import java.nio.file.Path;

/** Reports a {@link PemFile} that cannot be used. */
public final class UnusablePemFileException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String name;
    private final String problem;
    private final String remedy;
    private final transient Path file;

    /** @param name what names the file */
    UnusablePemFileException(String name, Path file, String problem, String remedy) {
        super("%s: %s %s: %s".formatted(name, file, problem, remedy));
        this.name = name;
        this.file = file;
        this.problem = problem;
        this.remedy = remedy;
    }

    /** Returns what names the file: a key of the settings, or an option. */
    public String name() {
        return name;
    }

    public Path file() {
        return file;
    }

    public String problem() {
        return problem;
    }

    /** Returns what to do about it. */
    public String remedy() {
        return remedy;
    }
}

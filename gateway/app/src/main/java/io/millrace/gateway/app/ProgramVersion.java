package io.millrace.gateway.app;

import java.util.Optional;

/** Provides the version of this program. */
public final class ProgramVersion {
    private ProgramVersion() {}

    /** Returns the version that the build wrote into the jar. */
    public static String text() {
        return Optional.ofNullable(ProgramVersion.class.getPackage().getImplementationVersion())
                .orElse("development");
    }
}

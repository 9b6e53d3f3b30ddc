package io.millrace.gateway.app.settings;

import java.util.Optional;

/** The version of this program. */
public final class ProgramVersion {
    private ProgramVersion() {}

    /** As the build wrote it into the jar. */
    public static String text() {
        return Optional.ofNullable(ProgramVersion.class.getPackage().getImplementationVersion())
                .orElse("development");
    }
}

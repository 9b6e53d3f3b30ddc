package io.millrace.gateway.app;

import java.util.Optional;

/** The version of this program. */
final class Version {
    private Version() {}

    /** As the build wrote it into the jar. */
    static String text() {
        return Optional.ofNullable(Version.class.getPackage().getImplementationVersion())
                .orElse("development");
    }
}

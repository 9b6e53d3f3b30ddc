package io.millrace.gateway.control;

import reactor.core.publisher.Mono;

/** A reload of the settings file. Its methods read files on a thread of their own, one call after the other. */
public interface SettingsReload {
    /** Returns the changes and problems of the file, and applies nothing. */
    Mono<SettingsReloadResult> preview();

    /** Applies the file; fails with a {@link SettingsRefusedException} if it has problems, and changes nothing then. */
    Mono<SettingsReloadResult> apply();
}

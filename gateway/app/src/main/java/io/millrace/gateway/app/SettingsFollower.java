package io.millrace.gateway.app;

/** A part of the gateway that lives as long as it, and takes over changed settings. */
@FunctionalInterface
interface SettingsFollower {
    /**
     * Prepares a change, and changes nothing.
     *
     * @return puts the settings in force; does not fail
     * @throws io.millrace.gateway.app.StartException if they cannot be used
     */
    Runnable prepare(MillraceSettings next);
}

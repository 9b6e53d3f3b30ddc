package io.millrace.gateway.control;

/**
 * Thrown if a reload applies nothing, because of the settings file or because there is none. The message is for
 * operators.
 */
public final class SettingsRefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    public SettingsRefusedException(String message) {
        super(message);
    }

    public SettingsRefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}

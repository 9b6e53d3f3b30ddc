package io.millrace.config.problem;

/**
 * Thrown by the constructor of a settings record if the value of one of its keys is not valid. The problem is reported
 * at that key.
 */
public final class RefusedSettingException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String key;
    private final String what;
    private final String remedy;

    /**
     * Creates the refusal.
     *
     * @param key the key within the record as the operator writes it: {@code plain-port}
     * @param what what is wrong with its value, as {@code is above max-size}
     * @param remedy what to write instead
     */
    public RefusedSettingException(String key, String what, String remedy) {
        super("%s %s: %s".formatted(key, what, remedy));
        this.key = key;
        this.what = what;
        this.remedy = remedy;
    }

    /** Adds the problem to those of the record. */
    public void reportTo(ProblemReporter problems) {
        problems.add(key, "", what, remedy);
    }
}

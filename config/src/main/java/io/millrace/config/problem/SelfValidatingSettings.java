package io.millrace.config.problem;

/**
 * A settings record that validates rules across several of its keys. A rule about one value belongs in the value's type
 * or the record's constructor, which may throw {@link RefusedSettingException}.
 */
public interface SelfValidatingSettings {
    /**
     * Reports violated rules. Called once, after the record was created. Keys with problems of their own then have
     * their default, and invalid elements are missing from their list or map. A rule about a missing value calls {@link
     * ProblemReporter#hasProblem} first, so that no mistake is reported twice.
     */
    void check(ProblemReporter problems);
}

package io.millrace.config.problem;

import java.util.Optional;

/**
 * Receives the problems that a {@link SelfValidatingSettings} record reports. Key paths are relative to that record.
 */
public final class ProblemReporter {
    private final ProblemCollector report;
    private final String path;

    public ProblemReporter(ProblemCollector report, String path) {
        this.report = report;
        this.path = path;
    }

    /**
     * Adds a problem, unless the key has one already.
     *
     * @param relativeKeyPath the key within this record as the operator writes it: {@code block-size},
     *     {@code disks[0].path}; empty for the record itself
     * @param value the wrong value, shown if the operator did not write it; empty to show none
     * @param what what is wrong with it, as {@code is above max-size}
     * @param remedy what to write instead
     */
    public void add(String relativeKeyPath, Object value, String what, String remedy) {
        report.addChecked(path, relativeKeyPath, value.toString(), what, remedy);
    }

    /**
     * Adds a problem with what is no key of the settings but must fit them.
     *
     * @param source where it stands, as {@code environment variable NAME}
     */
    public void addOfSource(String source, String what, String remedy) {
        report.add(new SourceLocation(source, 0), "", "", what, remedy);
    }

    /**
     * Adds a warning about a valid value that is probably not intended. It does not prevent the start.
     *
     * @param what what is wrong with it, as {@link #add} has it
     * @param remedy what to write instead
     */
    public void warn(String relativeKeyPath, Object value, String what, String remedy) {
        report.addWarning(path, relativeKeyPath, value.toString(), what, remedy);
    }

    /** Whether the key, or one below it, already has a problem, so that its value may be missing. */
    public boolean hasProblem(String relativeKeyPath) {
        return report.hasProblem(SettingPath.join(path, relativeKeyPath));
    }

    /** Returns whether the file or a variable has something for the key, also if no record could be made of it. */
    public boolean isWritten(String relativeKeyPath) {
        String key = SettingPath.join(path, relativeKeyPath);
        return report.isWritten(key) || report.hasProblem(key);
    }

    /**
     * Returns the text of the key, for checks of records that could not be made. Empty if there is none, or a secret.
     */
    public Optional<String> written(String relativeKeyPath) {
        return report.written(SettingPath.join(path, relativeKeyPath));
    }
}

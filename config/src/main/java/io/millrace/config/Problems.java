package io.millrace.config;

/** Where a {@link Checked} record says what is wrong with it. Key paths are relative to that record. */
public final class Problems {
    private final Report report;
    private final String path;

    Problems(Report report, String path) {
        this.report = report;
        this.path = path;
    }

    /**
     * Adds a problem, unless the key has one already.
     *
     * @param relativeKeyPath the key within this record as the operator writes it: {@code block-size},
     *     {@code disks[0].path}; empty for the record itself
     * @param value the value that is wrong, in case the operator did not write it; an empty text shows none
     * @param what what is wrong with it, as {@code is above max-size}
     * @param remedy what to write instead
     */
    public void add(String relativeKeyPath, Object value, String what, String remedy) {
        report.addChecked(path, relativeKeyPath, value.toString(), what, remedy);
    }

    /**
     * Adds what can be used as it is and is hardly meant. It keeps nobody from starting.
     *
     * @param what what is wrong with it, as {@link #add} has it
     * @param remedy what to write instead
     */
    public void warn(String relativeKeyPath, Object value, String what, String remedy) {
        report.addWarning(path, relativeKeyPath, value.toString(), what, remedy);
    }

    /** Whether the key, or one below it, has a problem already; what it belongs to may therefore be missing here. */
    public boolean reported(String relativeKeyPath) {
        return report.reported(KeyPath.join(path, relativeKeyPath));
    }
}

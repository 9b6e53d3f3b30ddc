package io.millrace.gateway.app.command;

/**
 * The result of one check: what was found and, unless that is good, what to do.
 *
 * @param subject what was checked, as {@code cache.disks[0]} or {@code backend aws}
 * @param line the line of the settings file that it is about, from 1; 0 if there is none
 * @param remedy empty if nothing is to be done
 */
record Diagnosis(Severity severity, String subject, int line, String finding, String remedy) {
    /** The severity of a finding. Only a {@link #PROBLEM} keeps Millrace from doing what its settings say. */
    enum Severity {
        OK,
        WARNING,
        PROBLEM
    }

    static Diagnosis ok(String subject, String finding) {
        return new Diagnosis(Severity.OK, subject, 0, finding, "");
    }

    static Diagnosis warning(String subject, String finding, String remedy) {
        return new Diagnosis(Severity.WARNING, subject, 0, finding, remedy);
    }

    static Diagnosis problem(String subject, String finding, String remedy) {
        return new Diagnosis(Severity.PROBLEM, subject, 0, finding, remedy);
    }

    /** Returns this finding as one about a line of the settings file; 0 for none. */
    Diagnosis atLine(int number) {
        return new Diagnosis(severity, subject, number, finding, remedy);
    }
}

package io.millrace.gateway.jobs.plan;

/**
 * The number of objects that a copy may delete because its source lacks them, for all its runs together.
 *
 * @param most known when the job begins, and kept from then on
 * @param spent objects that it has deleted, without those under way when a run was stopped
 */
public record DeletionBudget(long most, long spent) {
    /** Returns this budget after another deletion. */
    public DeletionBudget afterDeletion() {
        return new DeletionBudget(most, spent + 1);
    }
}

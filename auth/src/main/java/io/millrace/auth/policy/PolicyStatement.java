package io.millrace.auth.policy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A statement of a policy, compiled: it allows or denies actions on resources under conditions. Immutable.
 *
 * @see <a href="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements.html">Elements</a>
 */
public final class PolicyStatement {
    private final String name;
    private final boolean allows;
    private final StatementPrincipals principals;
    private final EnumSet<PolicyAction> actions;
    private final StatementResources resources;
    private final StatementCondition[] conditions;
    private final Optional<StatementText> text;
    private final Set<PolicyText.Variable> variables;

    /**
     * @param name the statement's file and id or number, for those who want to know what decided
     * @param principals whom it concerns; a policy of an identity concerns everyone who has it
     * @param text what its file has; empty if it is of no file
     */
    PolicyStatement(
            String name,
            boolean allows,
            StatementPrincipals principals,
            Set<PolicyAction> actions,
            StatementResources resources,
            List<StatementCondition> conditions,
            Optional<StatementText> text) {
        this.name = name;
        this.allows = allows;
        this.principals = principals;
        this.text = text;
        this.actions = EnumSet.copyOf(actions);
        this.resources = resources;
        this.conditions = conditions.toArray(new StatementCondition[0]);
        this.variables = Stream.concat(
                        resources instanceof ResourcePatterns patterns ? patterns.variables() : Stream.empty(),
                        conditions.stream().flatMap(StatementCondition::variables))
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Creates a statement that allows something to everyone who has it, without conditions. */
    static PolicyStatement allow(String name, Set<PolicyAction> actions, StatementResources resources) {
        return new PolicyStatement(
                name, true, StatementPrincipals.EVERYONE, actions, resources, List.of(), Optional.empty());
    }

    /** Returns the statement's file and id or number. */
    public String name() {
        return name;
    }

    /** Returns whether the statement allows; otherwise it denies. */
    public boolean allows() {
        return allows;
    }

    /** Returns what its file has; empty if it is of no file, but of a rule or a right. */
    public Optional<StatementText> text() {
        return text;
    }

    /** Returns whether it applies only under a condition. */
    public boolean hasCondition() {
        return conditions.length > 0;
    }

    /** Returns the names of the session tags that these statements compare or have variables for, in order. */
    static Set<String> tags(List<PolicyStatement> statements) {
        Set<String> names = new TreeSet<>();
        for (PolicyStatement statement : statements) {
            for (StatementCondition condition : statement.conditions) {
                if (!condition.tag().isEmpty()) {
                    names.add(condition.tag());
                }
            }
            for (PolicyText.Variable variable : statement.variables) {
                if (!variable.tag().isEmpty()) {
                    names.add(variable.tag());
                }
            }
        }
        return names;
    }

    StatementPrincipals principals() {
        return principals;
    }

    /** Returns whether the statement differs by caller; {@link #boundTo} then returns one to evaluate. */
    boolean hasVariables() {
        return !variables.isEmpty();
    }

    /**
     * Returns the statement for a caller; empty if it cannot apply to him. What has a variable without a value matches
     * nothing; a statement that allows all but such is closed.
     */
    Optional<PolicyStatement> boundTo(PolicyText.VariableValues caller) {
        if (variables.isEmpty()) {
            return Optional.of(this);
        }
        if (allows && isNegated() && variables.stream().anyMatch(variable -> caller.find(variable) == null)) {
            return Optional.empty();
        }
        StatementResources bound =
                resources instanceof ResourcePatterns patterns ? patterns.boundTo(caller) : resources;
        List<StatementCondition> boundConditions = List.of(conditions).stream()
                .map(condition -> condition.boundTo(caller))
                .toList();
        return Optional.of(new PolicyStatement(name, allows, principals, actions, bound, boundConditions, text));
    }

    private boolean isNegated() {
        return (resources instanceof ResourcePatterns patterns && patterns.isNegated())
                || List.of(conditions).stream()
                        .anyMatch(condition -> condition.operator().isNegated());
    }

    /**
     * Returns whether the statement applies to a request.
     *
     * @param key empty for the bucket itself
     */
    boolean applies(EvaluationContext request, PolicyAction action, BucketName bucket, Optional<ObjectKey> key) {
        return actions.contains(action)
                && resources.matches(bucket, key, request.parameters())
                && conditionsHold(request);
    }

    /** Returns whether the statement applies to every key that begins with {@code prefix}, existing or not. */
    boolean covers(Principal principal, PolicyAction action, BucketName bucket, String prefix, InstantSource clock) {
        return actions.contains(action)
                && resources.covers(bucket, prefix)
                && conditionsHold(new EvaluationContext(principal, RequestParameters.NONE, clock));
    }

    /** Returns whether the statement applies to a possible key that begins with {@code prefix}. */
    boolean touches(Principal principal, PolicyAction action, BucketName bucket, String prefix, InstantSource clock) {
        return actions.contains(action)
                && resources.touches(bucket, prefix)
                && conditionsHold(new EvaluationContext(principal, RequestParameters.NONE, clock));
    }

    /** Returns whether the statement applies to every key of every bucket. */
    boolean coversEverything(Principal principal, PolicyAction action, InstantSource clock) {
        return actions.contains(action)
                && resources.coversEverything()
                && conditionsHold(new EvaluationContext(principal, RequestParameters.NONE, clock));
    }

    /** Returns whether the statement applies to an action on any resource. */
    boolean touches(Principal principal, PolicyAction action, InstantSource clock) {
        return actions.contains(action)
                && conditionsHold(new EvaluationContext(principal, RequestParameters.NONE, clock));
    }

    /** Returns whether the statement is about the bucket or a possible key of it. */
    boolean touches(BucketName bucket) {
        // What a variable stands for is not known here.
        return hasVariables() || resources.touches(bucket, "") || resources.touchesBucket(bucket);
    }

    /** Adds the actions that the statement applies to in a bucket, for a possible key and possible parameters. */
    void addPossible(Principal principal, BucketName bucket, Set<PolicyAction> possible, InstantSource clock) {
        EvaluationContext request = new EvaluationContext(principal, RequestParameters.NONE, clock);
        for (StatementCondition condition : conditions) {
            if (!condition.key().isParameter() && !condition.holds(request, allows)) {
                return;
            }
        }
        boolean onObjects = resources.touches(bucket, "");
        boolean onBucket = resources.touchesBucket(bucket);
        for (PolicyAction action : actions) {
            if (action.isOnObjects() ? onObjects : onBucket) {
                possible.add(action);
            }
        }
    }

    /** Adds the actions that the statement applies to in a bucket, for all keys and all parameters. */
    void addCertain(Principal principal, BucketName bucket, Set<PolicyAction> certain, InstantSource clock) {
        for (StatementCondition condition : conditions) {
            if (condition.key().isParameter()) {
                return;
            }
        }
        if (!conditionsHold(new EvaluationContext(principal, RequestParameters.NONE, clock))) {
            return;
        }
        boolean onObjects = resources.covers(bucket, "");
        boolean onBucket = resources.matches(bucket, Optional.empty(), RequestParameters.NONE);
        for (PolicyAction action : actions) {
            if (action.isOnObjects() ? onObjects : onBucket) {
                certain.add(action);
            }
        }
    }

    private boolean conditionsHold(EvaluationContext request) {
        for (StatementCondition condition : conditions) {
            if (!condition.holds(request, allows)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether both are written alike, in the same place of the same file. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PolicyStatement that
                && name.equals(that.name)
                && allows == that.allows
                && principals.equals(that.principals)
                && actions.equals(that.actions)
                && resources.equals(that.resources)
                && Arrays.equals(conditions, that.conditions);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return name;
    }
}

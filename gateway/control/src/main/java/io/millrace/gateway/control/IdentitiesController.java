package io.millrace.gateway.control;

import io.millrace.auth.IdentitySettings;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.BucketPolicy;
import io.millrace.auth.policy.IdentityPolicy;
import io.millrace.auth.policy.PolicyStatement;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import io.millrace.auth.policy.StatementText;
import io.millrace.auth.session.RoleSettings;
import io.millrace.gateway.objects.bucket.BucketSettings;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@code /api/v1/identities}: the identities and roles of the settings and their rights, without secret keys.
 *
 * @param settings returns those in force
 */
@RestController
@RequestMapping("/api/v1/identities")
record IdentitiesController(ControlAuthorizer callers, Supplier<SettingsOverview> settings) {
    /** Statements that are listed of one identity, role or bucket; the others are only counted. */
    private static final int MOST_STATEMENTS = 50;

    /**
     * The response that lists identities, roles and the buckets that grant rights themselves, all in the order of the
     * settings.
     *
     * @param roles those of temporary credentials and of people who sign in
     * @param buckets those with rights of unsigned requests or with a policy
     */
    record IdentityList(List<IdentitySummary> identities, List<RoleSummary> roles, List<BucketRights> buckets) {
        IdentityList {
            identities = List.copyOf(identities);
            roles = List.copyOf(roles);
            buckets = List.copyOf(buckets);
        }
    }

    /**
     * An identity and its rights.
     *
     * @param allow its rules, as in the settings
     * @param policyStatements number of statements of its IAM policies
     * @param statements the first of these
     */
    record IdentitySummary(
            String name,
            String accessKey,
            List<String> allow,
            int policyStatements,
            List<StatementSummary> statements) {
        IdentitySummary {
            allow = List.copyOf(allow);
            statements = List.copyOf(statements);
        }

        static IdentitySummary of(IdentitySettings settings) {
            List<PolicyStatement> all = statementsOf(settings.policies());
            return new IdentitySummary(
                    settings.name(), settings.accessKey(), rules(settings.allow()), all.size(), first(all));
        }
    }

    /**
     * A role, who may assume it, and the rights of its sessions.
     *
     * @param issuer whose tokens may assume it; empty if none may
     * @param subjects patterns of the subject of a token, one of which must match; any does if there are none
     * @param claims patterns of the claims that a token must have, by name
     * @param assumedBy the identities and roles that may assume it
     * @param allow its rules, as in the settings
     * @param policyStatements number of statements of its IAM policies
     * @param statements the first of these
     */
    record RoleSummary(
            String name,
            Optional<String> issuer,
            List<String> subjects,
            Map<String, List<String>> claims,
            List<String> assumedBy,
            List<String> allow,
            int policyStatements,
            List<StatementSummary> statements) {
        RoleSummary {
            statements = List.copyOf(statements);
            subjects = List.copyOf(subjects);
            claims = Collections.unmodifiableMap(new TreeMap<>(claims));
            assumedBy = List.copyOf(assumedBy);
            allow = List.copyOf(allow);
        }

        static RoleSummary of(RoleSettings settings) {
            List<PolicyStatement> all = statementsOf(settings.policies());
            return new RoleSummary(
                    settings.name(),
                    settings.issuer(),
                    settings.subjects(),
                    settings.claims(),
                    settings.assumedBy(),
                    rules(settings.allow()),
                    all.size(),
                    first(all));
        }
    }

    private static List<String> rules(List<AllowRule> allow) {
        return allow.stream().map(Object::toString).toList();
    }

    private static List<PolicyStatement> statementsOf(List<IdentityPolicy> policies) {
        return policies.stream().flatMap(policy -> policy.statements().stream()).toList();
    }

    private static List<StatementSummary> first(List<PolicyStatement> statements) {
        return statements.stream()
                .limit(MOST_STATEMENTS)
                .flatMap(statement -> statement.text().stream().map(text -> StatementSummary.of(statement, text)))
                .toList();
    }

    /**
     * A statement of a policy, without its conditions.
     *
     * @param name its file, with its number and id
     * @param effect {@code Allow} or {@code Deny}
     * @param principals whom it concerns; empty in the policy of an identity or role
     * @param actions patterns of its actions; empty if it is about all but {@code notActions}
     * @param resources patterns of its resources; empty if it is about all but {@code notResources}
     * @param conditional whether it applies only under a condition
     */
    record StatementSummary(
            String name,
            String effect,
            List<String> principals,
            List<String> actions,
            List<String> notActions,
            List<String> resources,
            List<String> notResources,
            boolean conditional) {
        static StatementSummary of(PolicyStatement statement, StatementText text) {
            return new StatementSummary(
                    statement.name(),
                    statement.allows() ? "Allow" : "Deny",
                    text.principals(),
                    text.actions(),
                    text.notActions(),
                    text.resources(),
                    text.notResources(),
                    statement.hasCondition());
        }
    }

    /**
     * The rights that a bucket grants.
     *
     * @param anonymous the rights of unsigned requests
     * @param policyStatements number of statements of its policy
     * @param statements the first of these
     */
    record BucketRights(
            String bucket, List<String> anonymous, int policyStatements, List<StatementSummary> statements) {
        BucketRights {
            anonymous = List.copyOf(anonymous);
            statements = List.copyOf(statements);
        }

        static BucketRights of(BucketSettings settings) {
            List<PolicyStatement> all =
                    settings.policy().orElse(BucketPolicy.NONE).statements();
            return new BucketRights(
                    settings.name().value(),
                    settings.anonymous().rights().stream()
                            .sorted()
                            .map(Right::text)
                            .toList(),
                    all.size(),
                    first(all));
        }

        boolean isEmpty() {
            return anonymous.isEmpty() && policyStatements == 0;
        }
    }

    @GetMapping
    IdentityList identities(@RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal) {
        callers.requireAdmin(principal, "The list of identities");
        SettingsOverview now = settings.get();
        return new IdentityList(
                now.identities().stream().map(IdentitySummary::of).toList(),
                now.roles().stream().map(RoleSummary::of).toList(),
                now.buckets().stream()
                        .map(BucketRights::of)
                        .filter(rights -> !rights.isEmpty())
                        .toList());
    }
}

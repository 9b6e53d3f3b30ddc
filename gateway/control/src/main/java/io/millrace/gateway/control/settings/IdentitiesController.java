package io.millrace.gateway.control.settings;

import io.millrace.auth.identity.IdentitySettings;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.BucketPolicy;
import io.millrace.auth.policy.IdentityPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import io.millrace.auth.session.RoleSettings;
import io.millrace.gateway.control.request.AuthenticatedCaller;
import io.millrace.gateway.control.status.ControlAuthorizer;
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

/** Serves {@code /api/v1/identities}: the identities and roles of the settings and their rights, without secret keys. */
@RestController
@RequestMapping("/api/v1/identities")
public final class IdentitiesController {
    private final ControlAuthorizer callers;
    private final Supplier<SettingsOverview> settings;

    /**
     * The response that lists identities, roles and the buckets that grant rights themselves, all in the order of the settings.
     *
     * @param roles those of temporary credentials and of people who sign in
     * @param buckets those with rights of unsigned requests or with a policy
     */
    public record IdentityList(List<IdentitySummary> identities, List<RoleSummary> roles, List<BucketRights> buckets) {
        public IdentityList {
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
     */
    public record IdentitySummary(String name, String accessKey, List<String> allow, int policyStatements) {
        public IdentitySummary {
            allow = List.copyOf(allow);
        }

        static IdentitySummary of(IdentitySettings settings) {
            return new IdentitySummary(
                    settings.name(), settings.accessKey(), rules(settings.allow()), statements(settings.policies()));
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
     */
    public record RoleSummary(
            String name,
            Optional<String> issuer,
            List<String> subjects,
            Map<String, List<String>> claims,
            List<String> assumedBy,
            List<String> allow,
            int policyStatements) {
        public RoleSummary {
            subjects = List.copyOf(subjects);
            claims = Collections.unmodifiableMap(new TreeMap<>(claims));
            assumedBy = List.copyOf(assumedBy);
            allow = List.copyOf(allow);
        }

        static RoleSummary of(RoleSettings settings) {
            return new RoleSummary(
                    settings.name(),
                    settings.issuer(),
                    settings.subjects(),
                    settings.claims(),
                    settings.assumedBy(),
                    rules(settings.allow()),
                    statements(settings.policies()));
        }
    }

    private static List<String> rules(List<AllowRule> allow) {
        return allow.stream().map(Object::toString).toList();
    }

    private static int statements(List<IdentityPolicy> policies) {
        return policies.stream().mapToInt(policy -> policy.statements().size()).sum();
    }

    /**
     * The rights that a bucket grants.
     *
     * @param anonymous the rights of unsigned requests
     * @param policyStatements number of statements of its policy
     */
    public record BucketRights(String bucket, List<String> anonymous, int policyStatements) {
        public BucketRights {
            anonymous = List.copyOf(anonymous);
        }

        static BucketRights of(BucketSettings settings) {
            return new BucketRights(
                    settings.name().value(),
                    settings.anonymous().rights().stream()
                            .sorted()
                            .map(Right::text)
                            .toList(),
                    settings.policy().orElse(BucketPolicy.NONE).statements().size());
        }

        boolean isEmpty() {
            return anonymous.isEmpty() && policyStatements == 0;
        }
    }

    /** @param settings returns those in force */
    public IdentitiesController(ControlAuthorizer callers, Supplier<SettingsOverview> settings) {
        this.callers = callers;
        this.settings = settings;
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

package io.millrace.gateway.control.settings;

import io.millrace.auth.identity.IdentitySettings;
import io.millrace.auth.policy.BucketPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import io.millrace.gateway.control.request.AuthenticatedCaller;
import io.millrace.gateway.control.status.ControlAuthorizer;
import io.millrace.gateway.objects.bucket.BucketSettings;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves {@code /api/v1/identities}: the identities of the settings and their rights, without secret keys. */
@RestController
@RequestMapping("/api/v1/identities")
public final class IdentitiesController {
    private final ControlAuthorizer callers;
    private final Supplier<SettingsOverview> settings;

    /**
     * The response that lists identities and the buckets that grant rights themselves, both in the order of the settings.
     *
     * @param buckets those with rights of unsigned requests or with a policy
     */
    public record IdentityList(List<IdentitySummary> identities, List<BucketRights> buckets) {
        public IdentityList {
            identities = List.copyOf(identities);
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
                    settings.name(),
                    settings.accessKey(),
                    settings.allow().stream().map(Object::toString).toList(),
                    settings.policies().stream()
                            .mapToInt(policy -> policy.statements().size())
                            .sum());
        }
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
                now.buckets().stream()
                        .map(BucketRights::of)
                        .filter(rights -> !rights.isEmpty())
                        .toList());
    }
}

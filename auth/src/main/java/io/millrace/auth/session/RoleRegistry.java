package io.millrace.auth.session;

import io.millrace.auth.policy.IdentityPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.config.problem.InvalidValueException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Looks up the roles of the settings by name. Immutable and thread-safe. */
public final class RoleRegistry {
    private final Map<String, RoleSettings> roles;

    /** @param roles each name once */
    public RoleRegistry(List<RoleSettings> roles) {
        this.roles = roles.stream().collect(Collectors.toUnmodifiableMap(RoleSettings::name, role -> role));
    }

    /** Returns the role with this name. */
    public Optional<RoleSettings> find(String name) {
        return Optional.ofNullable(roles.get(name));
    }

    /** Returns the principal of a session of a role; empty if the role is gone. */
    Optional<Principal> principalOf(SessionGrant grant) {
        return find(grant.role()).flatMap(role -> principalOf(role, grant));
    }

    private static Optional<Principal> principalOf(RoleSettings role, SessionGrant grant) {
        Principal principal =
                Principal.ofSession(role.name(), grant.name(), grant.tags(), role.allow(), role.policies());
        if (!grant.sourceIdentity().isEmpty()) {
            principal = principal.assumedBy(grant.sourceIdentity());
        } else if (!grant.subject().isEmpty()) {
            principal = principal.issuedTo(grant.subject());
        }
        try {
            return Optional.of(
                    grant.policy().isEmpty()
                            ? principal
                            : principal.limitedTo(IdentityPolicy.ofSession(grant.policy())));
        } catch (InvalidValueException writtenByAnotherVersion) {
            return Optional.empty();
        }
    }
}

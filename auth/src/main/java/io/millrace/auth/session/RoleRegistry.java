package io.millrace.auth.session;

import io.millrace.auth.policy.Principal;
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

    /** Returns the principal of a session; empty if its role is gone. */
    public Optional<Principal> principalOf(Session session) {
        return find(session.role())
                .map(role -> Principal.ofSession(role.name(), session.name(), role.allow(), role.policies()));
    }
}

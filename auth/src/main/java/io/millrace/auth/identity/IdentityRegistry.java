package io.millrace.auth.identity;

import io.millrace.auth.policy.Principal;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Everybody this gateway knows. Immutable, so thread-safe. None at all is possible: then nobody can sign. */
public final class IdentityRegistry {
    private final Map<String, Credential> byAccessKey;

    /** Stands in for an unknown key, so that a guess costs and takes what a wrong signature does. */
    private final Credential nobody = new Credential("", UUID.randomUUID().toString(), Principal.ANONYMOUS);

    private IdentityRegistry(Map<String, Credential> byAccessKey) {
        this.byAccessKey = byAccessKey;
    }

    /**
     * The identities of the operator's file.
     *
     * @throws IllegalArgumentException if two share a name or an access key, or one is not as its
     *     {@link IdentitySettings#check} wants it
     */
    public static IdentityRegistry of(List<IdentitySettings> settings) {
        Map<String, Credential> byAccessKey = new HashMap<>();
        Set<String> names = new HashSet<>();
        for (IdentitySettings one : settings) {
            one.requireValid();
            Principal principal = new Principal(one.name(), one.allow());
            Credential credential =
                    new Credential(one.accessKey(), one.secretKey().reveal(), principal);
            if (!names.add(one.name())) {
                throw new IllegalArgumentException("two identities are named " + one.name());
            }
            if (byAccessKey.put(one.accessKey(), credential) != null) {
                throw new IllegalArgumentException("two identities have the access key " + one.accessKey());
            }
        }
        return new IdentityRegistry(byAccessKey);
    }

    /** Whoever is called so, if there is somebody: for work that goes on when they have left. */
    public Optional<Principal> named(String name) {
        return byAccessKey.values().stream()
                .map(Credential::principal)
                .filter(who -> who.name().equals(name))
                .findFirst();
    }

    /** Whoever has {@code accessKey}, or {@link Credential#isUnknown somebody unknown} whose signature is worth nothing. */
    public Credential find(String accessKey) {
        return byAccessKey.getOrDefault(accessKey, nobody);
    }
}

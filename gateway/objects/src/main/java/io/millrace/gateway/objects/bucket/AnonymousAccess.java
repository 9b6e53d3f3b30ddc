package io.millrace.gateway.objects.bucket;

import io.millrace.auth.policy.Right;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What everybody may do in a bucket without a signature. */
public record AnonymousAccess(Set<Right> rights) {
    private static final Set<Right> GRANTABLE = EnumSet.of(Right.READ, Right.LIST);

    public AnonymousAccess {
        rights = Set.copyOf(rights);
    }

    /**
     * Reads {@code none}, or rights joined by commas.
     *
     * @throws IllegalArgumentException for anything else; writing and administration always take a signature
     */
    public static AnonymousAccess parse(String text) {
        Set<Right> rights = EnumSet.noneOf(Right.class);
        if (!text.strip().equals("none")) {
            for (String name : text.split(",", -1)) {
                rights.add(right(name.strip()));
            }
        }
        return new AnonymousAccess(rights);
    }

    private static Right right(String name) {
        for (Right right : GRANTABLE) {
            if (right.name().toLowerCase(Locale.ROOT).equals(name)) {
                return right;
            }
        }
        throw new IllegalArgumentException(
                "'%s' is nothing that can be granted to everybody: use none, read, list, or read,list".formatted(name));
    }
}

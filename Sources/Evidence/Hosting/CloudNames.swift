// The names that clouds give to what they host. An alias of one that no longer exists is a site that was given up there, and
// in some clouds anybody may take the name.

enum CloudNames {
    static let suffixes: [(suffix: String, service: String)] = [
        ("azurewebsites.net", "Azure App Service"), ("cloudapp.azure.com", "Azure"), ("cloudapp.net", "Azure"),
        ("trafficmanager.net", "Azure Traffic Manager"), ("core.windows.net", "Azure Storage"),
        ("azureedge.net", "Azure CDN"), ("azurefd.net", "Azure Front Door"),
        ("azurestaticapps.net", "Azure Static Web Apps"),
        ("herokuapp.com", "Heroku"), ("herokudns.com", "Heroku"), ("elasticbeanstalk.com", "AWS Elastic Beanstalk"),
        ("elb.amazonaws.com", "AWS Load Balancing"), ("cloudfront.net", "Amazon CloudFront"), ("amazonaws.com", "AWS"),
        ("github.io", "GitHub Pages"), ("netlify.app", "Netlify"), ("vercel.app", "Vercel"),
        ("vercel-dns.com", "Vercel"), ("web.app", "Firebase Hosting"), ("firebaseapp.com", "Firebase Hosting"),
        ("run.app", "Google Cloud Run"), ("fly.dev", "Fly.io"), ("onrender.com", "Render"),
        ("pages.dev", "Cloudflare Pages"), ("fastly.net", "Fastly"),
    ]

    static func service(of name: String) -> String? {
        let name = name.lowercased()
        return suffixes.first { name == $0.suffix || name.hasSuffix("." + $0.suffix) }?.service
    }
}

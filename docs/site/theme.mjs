// Without the theme's own fonts: the site loads nothing that it does not need.
export {default} from 'vitepress/theme-without-fonts';
